import { text } from "../base/program/option-types.ts";
import { defineOptions } from "../base/program/options.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

/** Options that point a command at a cluster. */
export const clusterOptions = defineOptions({
  ...kubeconfigOptions,
  namespace: {
    type: text("NAME"),
    short: "n",
    env: false,
    help: "The namespace, if not that of the context.",
  },
});
