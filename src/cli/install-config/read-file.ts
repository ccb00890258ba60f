import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import type { Output } from "../../base/command-line/command.ts";
import { messageOf } from "../../base/program/errors.ts";
import { boolean, filePath } from "../../base/program/option-types.ts";
import type { InstallConfig } from "../../install/config/config.ts";
import { readInstallConfig, type VipUse, vipNames, vipUses } from "../../install/config/config.ts";

export const installConfigArgs = {
  file: { type: filePath(), required: true, help: "The install-config, in YAML." },
} as const;

export const installConfigOptions = {
  agentInstaller: {
    type: boolean(),
    default: false,
    help: "Ask for VIPs on every platform, as the agent-based installer does.",
  },
  lookUpVips: {
    type: boolean(),
    default: false,
    help: "Ask the DNS for VIPs that are missing: api.NAME.DOMAIN and test.apps.NAME.DOMAIN.",
  },
} as const;

interface Options {
  readonly agentInstaller: boolean;
  readonly lookUpVips: boolean;
}

/** Reads a file and reports its errors on stderr; returns `undefined` if there are any. */
export async function readFileOrTell(
  file: string,
  { options, stderr }: { readonly options: Options; readonly stderr: Output },
): Promise<{ readonly text: string; readonly config: InstallConfig } | undefined> {
  const text = await readFile(file, "utf8");
  const found = options.lookUpVips ? await lookUp(vipNames(text)) : {};
  const read = readInstallConfig(text, { agentInstaller: options.agentInstaller, found });
  for (const warning of read.warnings) stderr.write(`warning: ${warning}\n`);
  for (const error of read.errors) stderr.write(`${fieldErrorText(error)}\n`);
  return read.config && { text, config: read.config };
}

/**
 * Looks up the virtual addresses by name. A name without an answer becomes a value that says so, and is then
 * refused as an address.
 */
async function lookUp(names: Record<VipUse, string>): Promise<Partial<Record<VipUse, string>>> {
  const answers = vipUses.map(async (use) => {
    try {
      return [use, (await lookup(names[use])).address] as const;
    } catch (error) {
      return [use, `DNS lookup failure: ${messageOf(error)}`] as const;
    }
  });
  return Object.fromEntries(await Promise.all(answers));
}
