"""Which headers are passed on."""

from __future__ import annotations

from unabridged.gateway.headers import to_client, to_provider


def test_credentials_and_versions_reach_the_provider_as_they_are() -> None:
    given = [
        (b"authorization", b"Bearer s"),
        (b"x-api-key", b"k"),
        (b"anthropic-beta", b"a,b"),
        (b"anthropic-beta", b"c"),
        (b"cookie", b"x=1"),
        (b"content-type", b"application/json"),
    ]
    assert to_provider(given, b"api.example")[1:-1] == given


def test_what_is_about_one_connection_goes_no_further() -> None:
    given = [
        (b"host", b"127.0.0.1:4711"),
        (b"connection", b"keep-alive, X-Mine"),
        (b"x-mine", b"1"),
        (b"transfer-encoding", b"chunked"),
        (b"te", b"trailers"),
        (b"proxy-authorization", b"secret"),
        (b"expect", b"100-continue"),
        (b"content-length", b"3"),
        (b"accept-encoding", b"br"),
        (b"accept", b"*/*"),
    ]
    assert to_provider(given, b"api.example") == [
        (b"host", b"api.example"),
        (b"accept", b"*/*"),
        (b"accept-encoding", b"identity"),
    ]


def test_a_connection_header_cannot_take_the_credential_away() -> None:
    given = [
        (b"connection", b"authorization, content-type"),
        (b"authorization", b"s"),
        (b"content-type", b"j"),
    ]
    assert to_provider(given, b"h")[1:-1] == given[1:]


def test_a_body_that_was_decoded_is_said_to_be_plain() -> None:
    given = [(b"content-encoding", b"gzip"), (b"accept", b"*/*")]
    assert (b"content-encoding", b"gzip") in to_provider(given, b"h")
    assert to_provider(given, b"h", recoded=True)[1:-1] == [(b"accept", b"*/*")]


def test_an_answer_keeps_what_tells_a_client_when_to_come_again() -> None:
    given = [(b"Retry-After", b"7"), (b"anthropic-ratelimit-tokens-remaining", b"1"), (b"request-id", b"r")]
    assert to_client(given) == [(name.lower(), value) for name, value in given]


def test_an_answer_lets_no_page_read_it_and_leads_nobody_elsewhere() -> None:
    given = [
        (b"Access-Control-Allow-Origin", b"*"),
        (b"access-control-allow-headers", b"*"),
        (b"Alt-Svc", b'h3=":443"'),
        (b"Strict-Transport-Security", b"max-age=1"),
        (b"Connection", b"close"),
        (b"Transfer-Encoding", b"chunked"),
        (b"x-unabridged-fault", b"forged"),
        (b"content-type", b"text/event-stream"),
    ]
    assert to_client(given) == [(b"content-type", b"text/event-stream")]
    assert to_client(given, "archive-slow")[-1] == (b"x-unabridged-fault", b"archive-slow")


def test_a_length_beside_a_coding_of_the_transfer_is_not_passed_on() -> None:
    given = [(b"Content-Length", b"3"), (b"Transfer-Encoding", b"chunked"), (b"x", b"y")]
    assert to_client(given) == [(b"x", b"y")]
    assert to_client(given[:1]) == [(b"content-length", b"3")]
