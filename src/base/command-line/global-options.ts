// The options that every command has.

import { logOptions } from "../program/log.ts";
import { boolean, filePath } from "../program/option-types.ts";
import { defineOptions } from "../program/options.ts";

export const globalOptions = defineOptions({
  config: {
    type: filePath(),
    key: false,
    help: "A YAML or JSON file with options; flags and environment variables win over it.",
    group: "Global Options",
  },
  ...logOptions,
  help: {
    type: boolean(),
    short: "h",
    default: false,
    env: false,
    key: false,
    help: "Print this help.",
    group: "Global Options",
  },
});
