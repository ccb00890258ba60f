import type { Commands } from "../../base/host/command.ts";
import { isNotFound } from "../../base/host/error.ts";
import type { Family } from "../../base/net/family.ts";

/**
 * Whether the legacy iptables of a family have a nat table. The legacy tools are not asked, since they
 * create a table by listing it.
 */
export async function usesLegacyTables(commands: Commands, family: Family): Promise<boolean> {
  const file = `/proc/self/net/${family === "IPv4" ? "ip" : "ip6"}_tables_names`;
  try {
    const { stdout } = await commands.run(["cat", file]);
    return stdout.split("\n").includes("nat");
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
