import { directoryPath, filePath, text } from "../../base/program/option-types.ts";
import { defineOptions } from "../../base/program/options.ts";

/** Options that choose the IPAM datastore. */
export const storeOptions = defineOptions({
  cniConfig: {
    type: filePath(),
    env: false,
    key: false,
    help: "A network configuration, or whereabouts.conf, that names the datastore.",
  },
  dataDir: {
    type: directoryPath(),
    env: false,
    key: false,
    help: "The directory of a local datastore. This machine's own when nothing else is named.",
  },
  etcd: {
    type: text("HOST:PORT"),
    env: false,
    key: false,
    help: "The members of an etcd that is the datastore, in the clear.",
  },
  kubeconfig: {
    type: filePath(),
    env: false,
    key: false,
    help: "The kubeconfig of a cluster whose API is the datastore.",
  },
});
