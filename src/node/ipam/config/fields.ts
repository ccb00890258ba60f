import { Fields as AnyFields } from "../../../base/json/fields.ts";
import { IpamError } from "../errors.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads the fields of one object of a configuration; errors name the field by its path. */
export class Fields extends AnyFields {
  readonly path: string;

  constructor(json: JsonObject, path: string) {
    super(json);
    this.path = path;
  }

  refused(key: string, state: string): IpamError {
    const value = this.json[key];
    const shown =
      value === undefined || typeof value === "object" ? "" : ` ${JSON.stringify(value)}`;
    return invalidField(`${this.path}.${key}${shown}`, state);
  }

  protected inside(key: string, json: JsonObject): this {
    return new Fields(json, `${this.path}.${key}`) as this;
  }
}

export function invalidField(field: string, state: string, cause?: unknown): IpamError {
  return new IpamError("invalidConfiguration", `Cannot use ${field}: ${state}`, cause);
}
