"""Reads summary.json of a report (`scalestudy schema summary`): chapters, and rows of tables by the names of columns."""
import json
import pathlib


class Chapter:
    """A measured series: its conclusions, and the rows of its tables."""

    def __init__(self, chapter, tables):
        self.name, self.tables = chapter["name"], tables
        self.sentences = [chapter["headline"]] + [text for answer in chapter["answers"] for text in [answer["text"], *answer["notes"]]]
        # Every series has a table of its speed-up; the names of its other tables begin alike.
        self.prefix = next((slug.removesuffix("speedup") for slug in chapter["tables"] if slug.endswith("-speedup")), None)

    def rows(self, table):
        return rows_of(self.tables, self.prefix + table)


def rows_of(tables, slug):
    """None where the report has no such table."""
    return tables.get(slug, {"rows": []})["rows"]


def read_summary(report):
    """Measured series, and all tables."""
    summary = json.loads((pathlib.Path(report) / "summary.json").read_text(encoding="utf-8"))
    chapters = [Chapter(one, summary["tables"]) for one in summary["chapters"]]
    return [one for one in chapters if one.prefix], summary["tables"]


def estimate(row, name):
    """Value and 95 % interval, None where there is none."""
    low, high = row.get(name + "_low"), row.get(name + "_high")
    return {"value": row[name], "interval": None if low is None else [low, high]}


def at_ranks(rows, ranks):
    return [row for row in rows if row["ranks"] == ranks]


def decision_of(rows):
    """Of the rows of causes at one number of ranks: what is the same in all, and the main causes."""
    return rows[0] | {"main": [row["cause"] for row in rows if row["main"]], "rows": rows}


def decisions(series):
    """On the causes of lost time, of the most ranks first."""
    rows = series.rows("causes")
    return [decision_of(at_ranks(rows, ranks)) for ranks in dict.fromkeys(row["ranks"] for row in rows)]
