import { directoryPath } from "../../base/program/option-types.ts";
import { defineOptions } from "../../base/program/options.ts";
import { nameOption } from "../cluster-name.ts";

/** Options that choose the image store. */
export const storeOptions = defineOptions({
  ...nameOption,
  imageDir: {
    type: directoryPath(),
    help: "Where a node has its images. Those of the cluster on this machine when not given, else those of this machine as a node.",
  },
});
