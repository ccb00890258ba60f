import { migrationContract } from "./testing/contract.ts";

migrationContract("SQLite", { clusters: 500, database: async () => "sqlite::memory:" });
