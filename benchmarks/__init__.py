"""Scripts that measure the package and what it is compared with; not part of the package."""
