import type { CallOptions, Commands } from "./command.ts";
import { CommandError, restated } from "./error.ts";
import { readElements, readObjects, readTables } from "./nft/json.ts";
import type { Nft } from "./nft.ts";

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
    outline: ({ family, name }, options) =>
      run(["--stateless", "--terse", "list", "table", family, name], options),
  };
}
