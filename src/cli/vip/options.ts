import { text } from "../../base/program/option-types.ts";
import { kubeconfigOptions } from "../../programs/connect/connect.ts";

export const apiOptions = {
  ...kubeconfigOptions,
  clusterName: {
    type: text("NAME"),
    help: "The name router ids come from; that of the Infrastructure object when not given.",
  },
  ingressSelector: {
    type: text("LABELS"),
    default: "app.kubernetes.io/component=ingress",
    help: "The labels of pods that are ingress; nodes labelled tandem.internal/ingress count, too.",
  },
} as const;
