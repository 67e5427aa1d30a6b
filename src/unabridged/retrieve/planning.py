"""From a query, as it is asked, to what the index looks for: some of its terms count less than others."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from unabridged.index.analysis.expression import plan_expression
from unabridged.index.analysis.plan import Plan
from unabridged.index.analysis.query import plan_query
from unabridged.retrieve.questions import with_paste

PLANS = 256  # plans of queries remembered
ADDED = 0.4  # weight of a term that the asker adds, beside one of the question
ADDED_MOST = 0.6  # of the question's own weight, what all added terms have together


@lru_cache(maxsize=PLANS)
def plan_of(query: str, expansion: tuple[str, ...], operators: bool) -> Plan:
    """Return the plan of a query; raise `InvalidInput` for a bad expression.

    The terms that its asker adds stand behind its own, and count less: each alone, and all together. So do those of a
    text that is pasted beside a question, which has a hundred times as many.
    """
    if operators:
        return plan_expression(query)
    question, pasted = with_paste(query)
    plan = plan_query(question)
    if pasted and plan.clauses:
        plan = widened(plan, plan_query(pasted))
    return widened(plan, plan_query(" ".join(expansion))) if expansion else plan


def widened(plan: Plan, more: Plan) -> Plan:
    """Return a plan with the clauses of another one behind its own, those whose terms it does not have yet.

    A question of nothing but phrases still wants exactly them.
    """
    known = {form.term for clause in plan.clauses for form in clause.forms}
    added = [clause for clause in more.clauses if clause.forms[0].term not in known]
    own, others = (sum(clause.weight for clause in clauses) for clauses in (plan.clauses, added))
    factor = min(ADDED, ADDED_MOST * own / others) if own and others else 1.0
    clauses = [replace(clause, weight=clause.weight * factor) for clause in added]
    return replace(plan, clauses=(*plan.clauses, *clauses))
