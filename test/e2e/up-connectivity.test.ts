import { test } from "node:test";
import { checkRow, rowsOf } from "./up-connectivity.fixture.ts";

for (const row of rowsOf("IPv4 first", "IPv6 first", "IPv6 services, dual-stack pods")) {
  test(`[E2E-2] [MODEL-1] [MODEL-2] [MODEL-3] [MODEL-4] [NODE-5] ${row.join(", ")}`, () =>
    checkRow(row));
}
