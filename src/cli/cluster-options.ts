import { filePath, text } from "../base/program/option-types.ts";
import { defineOptions } from "../base/program/options.ts";

/** How people point a command at a cluster. */
export const clusterOptions = defineOptions({
  kubeconfig: {
    type: filePath(),
    help: "How to reach the API server; KUBECONFIG or ~/.kube/config if not set.",
  },
  context: { type: text("NAME"), help: "The context of the kubeconfig, if not its current one." },
  namespace: {
    type: text("NAME"),
    short: "n",
    env: false,
    help: "The namespace, if not that of the context.",
  },
});
