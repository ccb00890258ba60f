import { invalid } from "../../api/fields/field-errors.ts";
import { Address } from "../../base/net/address.ts";
import type { Fields, Findings } from "./fields.ts";
import type { Platform, VipUse } from "./platforms.ts";

/** A list of VIPs as written, with the path of its field. */
export interface GivenVips {
  readonly field: string;
  readonly texts: readonly string[];
}

interface Surroundings {
  readonly platform: Platform;
  /** The VIPs to use where none is given. */
  readonly found: Readonly<Partial<Record<VipUse, string>>>;
  readonly findings: Findings;
}

/** Reads the lists, converts the deprecated single fields, and puts IPv4 first where that is required. */
export function readVips(
  fields: Fields,
  { platform, found, findings }: Surroundings,
): Record<VipUse, GivenVips> {
  const read = (use: VipUse): GivenVips => {
    const { list, single } = platform.fields[use];
    const texts = upconverted(
      { single: fields.text(single) ?? "", list: fields.texts(list) ?? [] },
      { fields, names: platform.fields[use], findings },
    );
    const field = fields.at(list);
    if (texts.length === 0) return { field, texts: found[use] === undefined ? [] : [found[use]] };
    return { field, texts: platform.isIPv4First ? ipv4First(texts, field, findings) : texts };
  };
  return { api: read("api"), ingress: read("ingress") };
}

interface Upconversion {
  readonly fields: Fields;
  readonly names: { readonly list: string; readonly single: string };
  readonly findings: Findings;
}

/** Converts the single field to a list of one; beside a list it may repeat any of its elements. */
function upconverted(
  given: { readonly single: string; readonly list: readonly string[] },
  { fields, names, findings }: Upconversion,
): readonly string[] {
  const { single, list } = given;
  if (single === "") return list;
  findings.warn(`${fields.at(names.single)} is deprecated; use ${names.list}`);
  if (list.length === 0) return [single];
  if (!list.some((text) => isSame(text, single))) {
    const detail = `${names.single} is deprecated; only ${names.list} needs to be specified`;
    findings.errors.push(invalid(fields.at(names.single), single, detail));
  }
  return list;
}

function ipv4First(texts: readonly string[], field: string, findings: Findings): readonly string[] {
  const [first, second] = texts.map(Address.tryParse);
  if (texts.length !== 2 || first?.family !== "IPv6" || second?.family !== "IPv4") return texts;
  findings.warn(`${field}: ${second} is put before ${first}, since this platform has IPv4 first`);
  return texts.toReversed();
}

/** Whether two texts are the same address, in whatever spelling. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map(Address.tryParse);
  return first !== undefined && second !== undefined ? first.equals(second) : one === other;
}
