import type { ServiceAccount } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, count, nameColumn, table } from "../table.ts";

export const serviceAccount: Kind<ServiceAccount> = {
  table: table<ServiceAccount>([
    nameColumn,
    count("Secrets", ({ secrets = [] }) => secrets.length),
    ageColumn,
  ]),
};
