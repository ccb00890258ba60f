import { defined } from "../../../base/json/defined.ts";
import { type Fields, invalidField, type JsonObject } from "./fields.ts";

/** One element of `ipRanges`, as an operator may write it. */
export interface RangeFields {
  readonly range: string;
  readonly range_start?: string;
  readonly range_end?: string;
  readonly exclude?: readonly string[];
  readonly gateway?: string;
  readonly node_slice_size?: string;
  readonly addresses?: readonly JsonObject[];
}

/** A range, and the names of its fields as the operator wrote them, for errors. */
export interface CanonicalRange {
  readonly fields: RangeFields;
  readonly nameOf: (key: keyof RangeFields) => string;
  /** The names of the elements of `exclude`, which may come from several lists. */
  readonly excludeNames: readonly string[];
}

/**
 * Returns the ranges of a configuration in one form, whichever of the older forms it uses: `ipRanges` and
 * its alias `ips` first, then `range`, then `secondary_range`.
 */
export function canonicalRanges(ipam: Fields): CanonicalRange[] {
  const listed = [...ipam.objects("ipRanges"), ...ipam.objects("ips")].map(listedRange);
  const old = [oldRange(ipam, ""), oldRange(ipam, "secondary_")].filter((one) => one !== undefined);
  const exclude = (ipam.texts("exclude") ?? []).map((text, index) => ({
    text,
    name: `${ipam.path}.exclude[${index}]`,
  }));
  return distribute(exclude, listed, old);
}

function listedRange(fields: Fields): CanonicalRange {
  const range = fields.text("range");
  if (range === undefined) throw fields.refused("range", "it must be set");
  const exclude = fields.texts("exclude") ?? [];
  const addresses = fields.objects("addresses").map((address) => address.json);
  return {
    nameOf: (key) => `${fields.path}.${key}`,
    excludeNames: exclude.map((_, index) => `${fields.path}.exclude[${index}]`),
    fields: {
      range,
      ...defined({ range_start: fields.text("range_start"), range_end: fields.text("range_end") }),
      ...(exclude.length > 0 ? { exclude } : {}),
      ...defined({
        gateway: fields.text("gateway"),
        node_slice_size: fields.text("node_slice_size"),
      }),
      ...(addresses.length > 0 ? { addresses } : {}),
    },
  };
}

function oldRange(ipam: Fields, prefix: "" | "secondary_"): CanonicalRange | undefined {
  const range = ipam.text(`${prefix}range`);
  const start = ipam.text(`${prefix}range_start`);
  const end = ipam.text(`${prefix}range_end`);
  if (range !== undefined) {
    return {
      nameOf: (key) => `${ipam.path}.${key.startsWith("range") ? prefix : ""}${key}`,
      excludeNames: [],
      fields: { range, ...defined({ range_start: start, range_end: end }) },
    };
  }
  const stray = start === undefined ? end : start;
  if (stray !== undefined) {
    const key = `${prefix}${start === undefined ? "range_end" : "range_start"}`;
    throw invalidField(
      `${ipam.path}.${key} ${JSON.stringify(stray)}`,
      `there is no ${prefix}range`,
    );
  }
  return undefined;
}

interface NamedExclude {
  readonly text: string;
  readonly name: string;
}

/** Assigns each top-level exclude to the old-form ranges of its family; without any, to the listed ranges. */
function distribute(
  exclude: readonly NamedExclude[],
  listed: readonly CanonicalRange[],
  old: readonly CanonicalRange[],
): CanonicalRange[] {
  const strayed = exclude.filter(
    ({ text }) => !old.some(({ fields }) => looksAlike(fields.range, text)),
  );
  return [
    ...listed.map((range) => withExclude(range, strayed)),
    ...old.map((range) => withExclude(range, exclude)),
  ];
}

function withExclude(range: CanonicalRange, candidates: readonly NamedExclude[]): CanonicalRange {
  const { fields, excludeNames } = range;
  const own = candidates.filter(({ text }) => looksAlike(fields.range, text));
  if (own.length === 0) return range;
  return {
    ...range,
    fields: { ...fields, exclude: [...(fields.exclude ?? []), ...own.map(({ text }) => text)] },
    excludeNames: [...excludeNames, ...own.map(({ name }) => name)],
  };
}

/**
 * Whether two texts seem to be of one family. Only the text is judged: what does not parse is refused
 * later, by its name.
 */
function looksAlike(one: string, other: string): boolean {
  return one.includes(":") === other.includes(":");
}
