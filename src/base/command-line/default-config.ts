// The configuration file of a command as it is before anybody edits it: every key, commented out.

import { nameOptions } from "../program/options.ts";
import { wrap } from "../program/wrap.ts";
import type { Command } from "./command.ts";
import { globalOptions } from "./global-options.ts";

const width = 98;

/** YAML that gives no value, with the help and the default of each key that `--config` takes. */
export function formatDefaultConfig(name: string, command: Command): string {
  const named = nameOptions({ ...command.options, ...globalOptions });
  const keys = named.filter(({ key, option }) => key !== undefined && option.hidden !== true);
  const blocks = keys.map(({ key, option }) => {
    const value = option.default ?? "";
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return [...wrap(option.help, width).map((line) => `# ${line}`), `#${key}: ${text}`].join("\n");
  });
  const head =
    `# Options of "${name}": each line "#key: value" shows a default, or an empty text where there is none.\n` +
    "# To set an option, remove the first # of its line. Flags and environment variables win over this file.";
  return `${[head, ...blocks].join("\n\n")}\n`;
}
