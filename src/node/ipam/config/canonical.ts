import { type Fields, invalidField, type JsonObject, named } from "./fields.ts";

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

/**
 * The ranges of a configuration in one form, whichever of the older forms it uses: `ipRanges` and
 * its alias `ips` first, then `range`, then `secondary_range`.
 */
export function canonicalRanges(ipam: Fields): RangeFields[] {
  const listed = [...ipam.objects("ipRanges"), ...ipam.objects("ips")].map(listedRange);
  const old = [oldRange(ipam, ""), oldRange(ipam, "secondary_")].filter((one) => one !== undefined);
  return distribute(ipam.texts("exclude"), listed, old);
}

function listedRange(fields: Fields): RangeFields {
  const range = fields.text("range");
  if (range === undefined) throw fields.refused("range", "it must be set");
  const exclude = fields.texts("exclude");
  const addresses = fields.objects("addresses").map((address) => address.raw);
  return {
    range,
    ...named("range_start", fields.text("range_start")),
    ...named("range_end", fields.text("range_end")),
    ...(exclude.length > 0 ? { exclude } : {}),
    ...named("gateway", fields.text("gateway")),
    ...named("node_slice_size", fields.text("node_slice_size")),
    ...(addresses.length > 0 ? { addresses } : {}),
  };
}

function oldRange(ipam: Fields, prefix: "" | "secondary_"): RangeFields | undefined {
  const range = ipam.text(`${prefix}range`);
  const start = ipam.text(`${prefix}range_start`);
  const end = ipam.text(`${prefix}range_end`);
  if (range !== undefined) {
    return { range, ...named("range_start", start), ...named("range_end", end) };
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

/** A top-level exclude belongs to the old ranges of its family; without one, to the listed ranges. */
function distribute(
  exclude: readonly string[],
  listed: readonly RangeFields[],
  old: readonly RangeFields[],
): RangeFields[] {
  const strayed = exclude.filter((one) => !old.some(({ range }) => looksAlike(range, one)));
  return [
    ...listed.map((fields) => withExclude(fields, strayed)),
    ...old.map((fields) => withExclude(fields, exclude)),
  ];
}

function withExclude(fields: RangeFields, candidates: readonly string[]): RangeFields {
  const own = candidates.filter((one) => looksAlike(fields.range, one));
  return own.length === 0 ? fields : { ...fields, exclude: [...(fields.exclude ?? []), ...own] };
}

/** Of one family, judged by the text alone: what does not parse is refused later, by its name. */
function looksAlike(one: string, other: string): boolean {
  return one.includes(":") === other.includes(":");
}
