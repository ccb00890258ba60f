// The query parameters every write understands.
import { invalid } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

export function writeOptions(exchange: Exchange): WriteOptions {
  const { query } = exchange.info;
  return { dryRun: parseDryRun(query.getAll("dryRun")), fieldManager: managerOf(exchange) };
}

export function parseDryRun(values: readonly string[]): boolean {
  const wrong = values.find((value) => value !== "" && value !== "All");
  if (wrong !== undefined) {
    throw invalid({ group: "meta.k8s.io", name: "CreateOptions" }, "", [
      {
        type: "FieldValueNotSupported",
        field: "dryRun",
        value: [wrong],
        detail: 'supported values: "All"',
      },
    ]);
  }
  return values.includes("All");
}

/** Who does not name itself is called by the first word of its user agent. */
function managerOf({ request, info }: Exchange): string {
  const given = info.query.get("fieldManager");
  if (given !== null && given !== "") {
    checkManager(given);
    return given;
  }
  const agent = request.headers["user-agent"] ?? "";
  return agent.split("/", 1)[0]?.slice(0, 128) || "unknown";
}

function checkManager(name: string): void {
  const refuse = (detail: string, type: "FieldValueTooLong" | "FieldValueInvalid") =>
    invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", [
      { type, field: "fieldManager", value: name, detail },
    ]);
  if (name.length > 128) throw refuse("may not be more than 128 bytes", "FieldValueTooLong");
  if (/[^\x20-\x7e\u00a0-\u{10ffff}]/u.test(name)) {
    throw refuse("should only contain printable characters", "FieldValueInvalid");
  }
}
