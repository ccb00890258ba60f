// The query parameters that every write understands.
import type { FieldError } from "../../../api/fields/field-error.ts";
import { invalid } from "../errors.ts";
import type { Asked } from "../http/exchange.ts";
import { isTrue } from "../request-info.ts";

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
}

export function writeOptions(exchange: Asked): WriteOptions {
  const { query } = exchange.info;
  return { dryRun: parseDryRun(query.getAll("dryRun")), fieldManager: managerOf(exchange) };
}

/** Parses the options of an apply, which must name its manager and may force conflicts. */
export function applyOptions(exchange: Asked): WriteOptions & { readonly force: boolean } {
  const { query } = exchange.info;
  if (!query.get("fieldManager")) {
    throw refuse({
      type: "FieldValueRequired",
      field: "fieldManager",
      detail: "is required for apply patch",
    });
  }
  return { ...writeOptions(exchange), force: isTrue(query.get("force")) };
}

export function refuseForce({ info }: Asked): void {
  if (!info.query.has("force")) return;
  const detail = "may not be specified for non-apply patch";
  throw refuse({ type: "FieldValueForbidden", field: "force", detail });
}

export function parseDryRun(values: readonly string[]): boolean {
  const wrong = values.find((value) => value !== "" && value !== "All");
  if (wrong === undefined) return values.includes("All");
  const detail = 'supported values: "All"';
  throw refuse({ type: "FieldValueNotSupported", field: "dryRun", value: [wrong], detail });
}

/** Returns the field manager; the default is the first word of the user agent. */
function managerOf({ request, info }: Asked): string {
  const given = info.query.get("fieldManager");
  if (given !== null && given !== "") {
    checkManager(given);
    return given;
  }
  const agent = request.headers["user-agent"] ?? "";
  return agent.split("/", 1)[0]?.slice(0, 128) || "unknown";
}

function checkManager(value: string): void {
  const field = "fieldManager";
  if (value.length > 128) {
    throw refuse({ type: "FieldValueTooLong", field, detail: "may not be more than 128 bytes" });
  }
  if (/[^\x20-\x7e\u00a0-\u{10ffff}]/u.test(value)) {
    const detail = "should only contain printable characters";
    throw refuse({ type: "FieldValueInvalid", field, value, detail });
  }
}

function refuse(error: FieldError) {
  return invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", [error]);
}
