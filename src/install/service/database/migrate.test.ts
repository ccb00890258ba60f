import { migrationContract } from "./contract.ts";

migrationContract("SQLite", { clusters: 500, database: async () => "sqlite::memory:" });
