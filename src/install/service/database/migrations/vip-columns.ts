import type { ParkedVipTable, VipTable } from "../schema.ts";

/** The tables of both schemas at once, as they exist during the migration. */
export interface BothForms {
  clusters: { id: string; api_vip: string; ingress_vip: string };
  api_vips: VipTable;
  ingress_vips: VipTable;
  parked_vips: ParkedVipTable;
}

export const columns = [
  { use: "api", column: "api_vip", table: "api_vips" },
  { use: "ingress", column: "ingress_vip", table: "ingress_vips" },
] as const;

/** The number of rows that are handled at once. */
const pageSize = 500;

export function* pagesOf<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < rows.length; start += pageSize) {
    yield rows.slice(start, start + pageSize);
  }
}
