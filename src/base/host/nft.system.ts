import type { CallOptions, Commands } from "./command.ts";
import { CommandError, HostError, restated } from "./error.ts";
import { readElements, readObjects, readTables } from "./nft/json.ts";
import type { Nft, NftTable } from "./nft.ts";

export function systemNft(commands: Commands): Nft {
  const run = async (args: readonly string[], options: CallOptions & { stdin?: string } = {}) => {
    try {
      return (await commands.run(["nft", ...args], options)).stdout;
    } catch (error) {
      // A script that nft itself refuses, rather than the kernel, is invalid.
      const refused = error instanceof CommandError && error.reason === "failed";
      throw refused ? restated(error, { reason: "invalid" }) : error;
    }
  };
  const apply: Nft["apply"] = async (script, options) => {
    await run(["-f", "-"], { ...options, stdin: script });
  };

  return {
    apply,
    check: async (script, options) => {
      await run(["--check", "-f", "-"], { ...options, stdin: script });
    },
    // The table is added first, so that there is one to delete.
    deleteTable: ({ family, name }, options) =>
      apply(`add table ${family} ${name}\ndelete table ${family} ${name}\n`, options),
    tables: async (options) => readTables(await run(["--json", "list", "tables"], options)),
    objects: async ({ family, name }, options) =>
      readObjects(await run(["--json", "--terse", "list", "table", family, name], options)),
    elements: async ({ kind, table, name }, options) =>
      readElements(await run(["--json", "list", kind, table.family, table.name, name], options)),
    text: ({ family, name }, options) =>
      run(["--stateless", "list", "table", family, name], options),
    // `list table` reads all elements, though it prints none; `list ruleset` does not.
    outline: async (table, options) => {
      const args = ["--stateless", "--terse", "list", "ruleset", table.family];
      return blockOf(table, await run(args, options));
    },
  };
}

function blockOf({ family, name }: NftTable, ruleset: string): string {
  const head = `table ${family} ${name} {\n`;
  const start = ruleset.startsWith(head) ? 0 : ruleset.indexOf(`\n${head}`) + 1;
  if (start > 0 || ruleset.startsWith(head)) {
    return ruleset.slice(start, ruleset.indexOf("\n}", start) + 3);
  }
  const message = `Cannot list table ${family} ${name}: there is none`;
  throw new HostError(message, { reason: "not-found" });
}
