// Named formats: the rules that names and values of Kubernetes follow.
import {
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
  serviceName,
} from "../../fields/names.ts";
import { Opaque, OptionalValue, PlainList, type Value } from "../runtime/value.ts";
import { abstractType, type Type } from "../types.ts";
import type { Library } from "./library.ts";
import { parseUrl } from "./urls.ts";

export const formatTypes: Readonly<Record<string, Type>> = {
  namedFormat: abstractType("kubernetes.NamedFormat"),
};

class FormatValue extends Opaque {
  override readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly rule: NameRule;
  /** The length of the pattern by which the cost of a check is counted. */
  readonly maxPattern: number;

  constructor(name: string, rule: NameRule, maxPattern: number) {
    super();
    this.name = name;
    this.rule = rule;
    this.maxPattern = maxPattern;
  }

  override equals(other: Opaque): boolean {
    return this.name === (other as FormatValue).name;
  }
}

/** Makes the rule of a prefix: a name may be generated behind it, so that it may end with a dash. */
const prefixOf =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(text.length > 1 && text.endsWith("-") ? `${text.slice(0, -1)}a` : text);
const pattern =
  (expression: RegExp, problem: string): NameRule =>
  (text) =>
    expression.test(text) ? [] : [problem];

const uuid = /^[\da-f]{8}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{4}-?[\da-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const date: NameRule = (text) => {
  const parsed = new Date(`${text}T00:00:00Z`);
  const hasForm = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(parsed.getTime());
  const isDate = hasForm && parsed.toISOString().startsWith(text);
  return isDate ? [] : ["invalid date"];
};
const dateTime: NameRule = (text) => {
  const hasForm = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)$/.test(
    text,
  );
  const isTime = hasForm && date(text.slice(0, 10)).length === 0;
  return isTime ? [] : ["invalid datetime"];
};
const uri: NameRule = (text) => {
  const parsed = parseUrl(text);
  return typeof parsed === "string" ? [parsed] : [];
};

const formats: Readonly<Record<string, FormatValue>> = Object.fromEntries(
  (
    [
      ["dns1123Label", dnsLabel, 30],
      ["dns1123Subdomain", dnsSubdomain, 60],
      ["dns1035Label", serviceName, 30],
      ["qualifiedName", qualifiedName, 60],
      ["dns1123LabelPrefix", prefixOf(dnsLabel), 30],
      ["dns1123SubdomainPrefix", prefixOf(dnsSubdomain), 60],
      ["dns1035LabelPrefix", prefixOf(serviceName), 30],
      ["labelValue", labelValue, 40],
      ["uri", uri, 1102],
      ["uuid", pattern(uuid, "does not match the UUID format"), 70],
      ["byte", pattern(base64, "invalid base64"), 84],
      ["date", date, 70],
      ["datetime", dateTime, 70],
    ] as const
  ).map(([name, rule, length]) => [name, new FormatValue(name, rule, length)]),
);

export const namedFormats: Library = {
  validate: {
    "format-validate": [
      "namedFormat.(string) optional(list(string))",
      (format, text) => {
        const problems = (format as FormatValue).rule(text as string);
        return new OptionalValue(problems.length === 0 ? undefined : new PlainList(problems));
      },
    ],
  },
  "format.named": {
    "format-named": [
      "(string) optional(namedFormat)",
      (name) =>
        new OptionalValue(
          Object.hasOwn(formats, name as string) ? formats[name as string] : undefined,
        ),
    ],
  },
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [
      `format.${name}`,
      { [`format.${name}`]: ["() namedFormat", (): Value => format] as const },
    ]),
  ),
};
