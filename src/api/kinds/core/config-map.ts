import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import type { ConfigMap } from "../../types/core.ts";
import { tooLongBy } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, count, nameColumn, table } from "../table.ts";
import { dataBytes, frozenErrors, keyErrors, maxDataBytes } from "./config-data.ts";

export const configMap: Kind<ConfigMap> = {
  validate: (object) => [
    ...keyErrors(object.data, "data"),
    ...keyErrors(object.binaryData, "binaryData"),
    ...sharedKeyErrors(object),
    ...sizeErrors(object),
  ],
  validateUpdate: (object, old) => frozenErrors(object, old, ["data", "binaryData"]),
  table: table<ConfigMap>([
    nameColumn,
    count(
      "Data",
      ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    ),
    ageColumn,
  ]),
};

function sharedKeyErrors({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  return Object.keys(data)
    .filter((key) => Object.hasOwn(binaryData, key))
    .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
}

function sizeErrors({ data, binaryData }: ConfigMap): FieldError[] {
  const bytes = dataBytes(data, "utf8") + dataBytes(binaryData, "base64");
  return bytes > maxDataBytes ? [tooLongBy("[]", maxDataBytes)] : [];
}
