import { text } from "../base/program/option-types.ts";
import { defineOptions } from "../base/program/options.ts";

export const nameOption = defineOptions({
  name: {
    type: text("NAME"),
    default: "tandem",
    env: "TANDEM_CLUSTER",
    help: "The name of the cluster, where there are several on this machine.",
  },
});
