"""Pages that are one file: styles, scripts and data are in it, and nothing is loaded."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

_ENVIRONMENT = Environment(
    loader=PackageLoader(__package__, "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


def render_page(template: str, **values: Any) -> str:
    """Fill a template. All values are escaped; data for scripts goes through `tojson`.

    template (str): Name of a file in report/templates.
    values (Any): What the template asks for.
    RETURNS (str): The page.
    """
    return _ENVIRONMENT.get_template(template).render(**values)
