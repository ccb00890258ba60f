import { installServiceContract } from "./contract.ts";

installServiceContract("SQLite", async () => "sqlite::memory:");
