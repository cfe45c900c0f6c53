"""Templates mean in our quicker Python (`web/drawing/quick.py`) what they mean in Jinja's."""

from types import SimpleNamespace

import pytest
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from samovar.web.drawing.render import QuickEnvironment

BOTH = "{% macro both(a, b='<b>') %}{{ a }}{{ b }}{% endmacro %}"
ONE = "{% macro one(a) %}[{{ a }}]{% endmacro %}"
TEMPLATES = {
    "an attribute, and of a dictionary what it holds": "{{ ada.name }} {{ facts.count }} {{ facts.items() | list }}",
    "an attribute of an attribute": "{{ ada.friend.name }}{% for one in (ada, ada.friend) %}{{ one.name }}{% endfor %}",
    "what is not there": "{{ ada.nothing is defined }} {{ facts.nothing is defined }}",
    "a macro, with what it is not given": BOTH + "{{ both('<') }}{{ both(1, 2) }}",
    "a macro, by names": BOTH + "{{ both(b=3, a=1) }}{{ both(1, b='<') }}",
    "a macro in a loop": ONE + "{% for a in 'ab' %}{{ one(a) }}{{ loop.index }}{% endfor %}",
    "a macro without something": "{% macro one(a) %}{{ a is defined }}{% endmacro %}{{ one() }}{{ one(1) }}",
    "a macro with more": "{% macro all(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ all(1, 2, b=3) }}",
    "a macro around something": (
        "{% macro box(a) %}({{ a }}{{ caller() }}){% endmacro %}{% call box('<') %}{{ ada.name }}{% endcall %}"
    ),
    "a macro by another name": ONE + "{% set other = one %}{{ other('&') }}{{ [one][0]('&') }}",
    "methods": "{{ ada.name.upper().lower() }}{{ '{a}'.format(a=1) }}{{ facts.get('count', 3) }}",
}


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_means_the_same(template):
    facts = {
        "ada": SimpleNamespace(name="<Ada>", friend=SimpleNamespace(name="Bo")),
        "facts": {"count": Markup("<b>")},
    }
    drawn = [kind(autoescape=True).from_string(template).render(facts) for kind in (Environment, QuickEnvironment)]
    assert drawn[0] == drawn[1]
    assert drawn[0]


def test_what_is_not_there_is_told():
    environment = QuickEnvironment(undefined=StrictUndefined)
    with pytest.raises(UndefinedError, match="has no attribute 'nothing'"):
        environment.from_string("{{ facts.nothing }}").render(facts={})
    with pytest.raises(TypeError):
        environment.from_string("{% macro one(a) %}{% endmacro %}{{ one(1, 2) }}").render()
