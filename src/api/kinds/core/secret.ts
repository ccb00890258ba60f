import { isObject } from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import type { Secret } from "../../types/core.ts";
import { tooLongBy } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, count, nameColumn, table, text } from "../table.ts";
import { dataBytes, frozenErrors, keyErrors, maxDataBytes } from "./config-data.ts";

export const secret: Kind<Secret> = {
  default(object) {
    foldTexts(object);
  },
  validate: (object) => [
    ...keyErrors(object.data, "data"),
    ...(dataBytes(object.data, "base64") > maxDataBytes ? [tooLongBy("data", maxDataBytes)] : []),
    ...contentErrors(object),
  ],
  validateUpdate: (object, old) => [...frozenErrors(object, old, ["data"])],
  selectableFields: ["type"],
  selectableField: ({ type }) => type ?? "",
  table: table<Secret>([
    nameColumn,
    text("Type", ({ type }) => type),
    count("Data", ({ data = {} }) => Object.keys(data).length),
    ageColumn,
  ]),
};

/** Moves plain texts (`stringData`) into the encoded `data`; they only serve writers. */
function foldTexts(object: Secret): void {
  const texts = Object.entries(object.stringData ?? {});
  delete object.stringData;
  if (texts.length === 0) return;
  const encoded = texts.map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  object.data = { ...object.data, ...(Object.fromEntries(encoded) as Record<string, string>) };
}

const accountAnnotation = "kubernetes.io/service-account.name";

/** Checks that a secret of a well-known type has the keys that type requires. */
function contentErrors({ type, data = {}, metadata }: Secret): FieldError[] {
  const missing = (keys: readonly string[]) => keys.filter((key) => !Object.hasOwn(data, key));
  switch (type) {
    case "kubernetes.io/service-account-token":
      return metadata.annotations?.[accountAnnotation]
        ? []
        : [required(`metadata.annotations[${accountAnnotation}]`)];
    case "kubernetes.io/dockercfg":
      return documentErrors(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return documentErrors(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const absent = missing(["username", "password"]);
      return absent.length < 2 ? [] : absent.map((key) => required(`data[${key}]`));
    }
    case "kubernetes.io/ssh-auth":
      return data["ssh-privatekey"] ? [] : [required("data[ssh-privatekey]")];
    case "kubernetes.io/tls":
      return missing(["tls.crt", "tls.key"]).map((key) => required(`data[${key}]`));
    default:
      return [];
  }
}

function documentErrors(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const encoded = data[key];
  if (encoded === undefined) return [required(`data[${key}]`)];
  const isDocument = isJsonObject(Buffer.from(encoded, "base64").toString());
  const value = "<secret contents redacted>";
  return isDocument ? [] : [invalid(`data[${key}]`, value, "must be a JSON object")];
}

function isJsonObject(document: string): boolean {
  try {
    return isObject(JSON.parse(document));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
