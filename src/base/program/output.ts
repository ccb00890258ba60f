// `--output`: the same result as a table, as names, or as JSON or YAML for other programs.

import { oneOf } from "./option-types.ts";
import type { Column } from "./table.ts";

export type OutputFormat = "text" | "table" | "wide" | "json" | "yaml" | "name";

/** Declares `-o`, with the first format as default; no environment variable, since scripts rely on it. */
export function outputOption<const Formats extends readonly [OutputFormat, ...OutputFormat[]]>(
  formats: Formats,
) {
  return {
    output: {
      type: oneOf(formats, "FORMAT"),
      short: "o",
      default: formats[0] as string,
      env: false,
      key: false,
      help: `Output format: ${formats.slice(0, -1).join(", ")} or ${formats.at(-1)}.`,
    },
  } as const;
}

export interface Listing<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** The name that `--output name` prints, such as `pod/web`. */
  name(row: Row): string;
  /** The document that `--output json` and `yaml` print, where that is more than the rows. */
  readonly document?: unknown;
}

/** Formats a listing in any of the formats, newline at the end. */
export async function formatListing<Row>(
  listing: Listing<Row>,
  format: Exclude<OutputFormat, "text">,
): Promise<string> {
  const { rows, columns, document = rows } = listing;
  if (format === "json" || format === "yaml") return formatDocument(document, format);
  if (format === "name") return rows.map((row) => `${listing.name(row)}\n`).join("");
  const { formatTable } = await import("./table.ts");
  return formatTable(columns, rows, { wide: format === "wide" });
}

export async function formatDocument(value: unknown, format: "json" | "yaml"): Promise<string> {
  if (format === "json") return `${JSON.stringify(value, undefined, 4)}\n`;
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
