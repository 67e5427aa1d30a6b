"""Credentials of code forges, package registries, build services."""

from __future__ import annotations

from unabridged.archive.redact.rule import Rule, text, value

_UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"

FORGES: tuple[Rule, ...] = (
    text("github-token", "github-token", r"gh[opusr]_[A-Za-z0-9]{30,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", peek="[A-Za-z0-9]{8}"),
    text("github-fine-grained-token", "github-token", r"github_pat_[A-Za-z0-9_]{36,}", "github_pat_", peek="[A-Za-z0-9]"),
    text(
        "gitlab-token",
        "gitlab-token",
        r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_.-]{6,})?",
        "glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-",
        "glffct-", "glwt-",
        peek="[A-Za-z0-9_-]{8}",
    ),
    text("gitlab-runner-token", "gitlab-token", r"GR1348941[A-Za-z0-9_-]{20,}", "GR1348941"),
    text("gitlab-session-cookie", "gitlab-session", r"_gitlab_session=([A-Za-z0-9]{20,})", "_gitlab_session=", group=1),
    text("bitbucket-app-password", "bitbucket-token", r"ATBB[A-Za-z0-9]{28,}", "ATBB", peek="[A-Za-z0-9]{8}", strict=True),
    text("bitbucket-server-token", "bitbucket-token", r"BBDC-[A-Za-z0-9+/@_-]{36,}", "BBDC-"),
    text("atlassian-token", "atlassian-token", r"AT(?:AT|CT|ST)T[A-Za-z0-9_=-]{50,}", "ATATT", "ATCTT", "ATSTT", peek="[A-Za-z0-9_=-]{8}", strict=True),
    text("gitea-token", "gitea-token", r"gitea_[a-f0-9]{40}", "gitea_", peek="[a-f0-9]{8}"),
    text("sourcegraph-token", "sourcegraph-token", r"(?:sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}|slk_[a-f0-9]{64})", "sgp_", "slk_", peek="(?:local_)?[a-f0-9]{8}"),
)

REGISTRIES: tuple[Rule, ...] = (
    text("npm-token", "npm-token", r"npm_[A-Za-z0-9]{30,}", "npm_", peek="[A-Za-z0-9]{20}"),
    text("npmrc-auth-token", "npm-token", r"(?i)_authToken\s*=\s*\"?([A-Za-z0-9._/+=-]{16,})", "_authToken", "_authtoken", group=1),
    text("pypi-token", "pypi-token", r"(?:pypi|testpypi)-[A-Za-z0-9_-]{40,}", "pypi-", peek="[A-Za-z0-9_-]{20}", check="mixed"),
    text("rubygems-key", "rubygems-key", r"rubygems_[a-f0-9]{40,}", "rubygems_", peek="[a-f0-9]{8}"),
    text("nuget-key", "nuget-key", r"oy2[a-z0-9]{43}", "oy2", peek="[a-z0-9]{30}", strict=True, check="mixed"),
    text("crates-token", "crates-token", r"cio[A-Za-z0-9]{32}", "cio", peek="[A-Za-z0-9]{30}", strict=True, check="mixed"),
    text("clojars-token", "clojars-token", r"CLOJARS_[a-z0-9]{50,}", "CLOJARS_", peek="[a-z0-9]{8}"),
    text("packagist-token", "packagist-token", r"packagist_[a-z]{3}_[a-f0-9]{40,}", "packagist_", peek="[a-z]{3}_[a-f0-9]{8}"),
    text("docker-hub-token", "docker-token", r"dckr_[op]at_[A-Za-z0-9_-]{24,}", "dckr_pat_", "dckr_oat_"),
    text("artifactory-key", "artifactory-key", r"AKCp[A-Za-z0-9]{55,}", "AKCp", peek="[A-Za-z0-9]{20}", strict=True),
    text("artifactory-reference-token", "artifactory-key", r"cmVmdGtu[A-Za-z0-9]{40,}", "cmVmdGtu", peek="[A-Za-z0-9]{20}"),
    text("huggingface-token", "huggingface-token", r"(?:hf_[A-Za-z0-9]{28,}|api_org_[A-Za-z0-9]{30,})", "hf_", "api_org_", peek="[A-Za-z0-9]{20}"),
    text("kaggle-token", "kaggle-token", r"KGAT_[a-f0-9]{32}", "KGAT_"),
    text("jsr-token", "jsr-token", r"jsr[pdt]_[A-Za-z0-9_-]{20,}", "jsrp_", "jsrd_", "jsrt_", peek="[A-Za-z0-9_-]{12}"),
    text("deno-deploy-token", "deno-token", r"dd[opw]_[A-Za-z0-9]{36}", "ddo_", "ddp_", "ddw_", peek="[A-Za-z0-9]{20}"),
    text("gemfury-token", "gemfury-token", r"fury-[A-Za-z0-9]{20,30}-[A-Za-z0-9]{8,}", "fury-", peek="[A-Za-z0-9]{20}"),
)

BUILDERS: tuple[Rule, ...] = (
    text("circleci-token", "circleci-token", r"CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}", "CCIPAT_", "CCIPRJ_"),
    text("buildkite-token", "buildkite-token", r"bk[ucacr][a-z]?_[A-Za-z0-9]{36,}", "bkua_", "bkct_", "bkcr_", "bka_", peek="[A-Za-z0-9]{8}"),
    text("sonarqube-token", "sonarqube-token", r"sq[upa]_[a-f0-9]{40}", "squ_", "sqp_", "sqa_", peek="[a-f0-9]{8}"),
    text("postman-key", "postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-"),
    text("postman-collection-key", "postman-key", r"PMAT-[A-Z0-9]{26}", "PMAT-"),
    text("prefect-token", "prefect-token", r"pn[ub]_[A-Za-z0-9]{36}", "pnu_", "pnb_", peek="[A-Za-z0-9]{20}"),
    text("readme-token", "readme-token", r"rdme_[a-z0-9]{60,}", "rdme_"),
    text("snyk-token", "snyk-token", r"snyk_(?:uat|sat)\.[a-f0-9]{8}\.[A-Za-z0-9._-]{30,}", "snyk_uat.", "snyk_sat."),
    text("trigger-dev-key", "trigger-key", r"tr_(?:dev|prod|stg|pat|preview)_[A-Za-z0-9]{18,}", "tr_dev_", "tr_prod_", "tr_stg_", "tr_pat_", "tr_preview_"),
    text("inngest-key", "inngest-key", r"signkey-[a-z]+-[a-f0-9]{32,}", "signkey-"),
)

RULES: tuple[Rule, ...] = FORGES + REGISTRIES + BUILDERS

VALUES: tuple[Rule, ...] = (
    value("github-legacy-token", "github-token", r"[a-f0-9]{40}", "github", "gh_token"),
    value("ngrok-key", "ngrok-key", r"[12][A-Za-z0-9]{26}_[0-9][A-Za-z0-9]{20}", "ngrok"),
    value("codecov-token", "codecov-token", _UUID, "codecov"),
    value("snyk-uuid-token", "snyk-token", _UUID, "snyk"),
    value("circleci-legacy-token", "circleci-token", r"[a-f0-9]{40}", "circle"),
    value("travis-token", "travis-token", r"[A-Za-z0-9_-]{20,24}", "travis"),
    value("jenkins-token", "jenkins-token", r"[a-f0-9]{32,34}", "jenkins"),
    value("drone-token", "drone-token", r"[A-Za-z0-9]{32}", "drone"),
    value("quay-token", "quay-token", r"[A-Z0-9]{64}", "quay"),
    value("semgrep-token", "semgrep-token", r"[a-f0-9]{64}", "semgrep"),
    value("launchdarkly-token", "launchdarkly-token", r"(?:api|sdk|mob)-" + _UUID, "launchdarkly", "ld_"),
    value("bitbucket-secret", "bitbucket-secret", r"[A-Za-z0-9=_-]{32,64}", "bitbucket"),
    value("gitea-legacy-token", "gitea-token", r"[a-f0-9]{40}", "gitea", "forgejo"),
)
