import { addressList } from "../../base/program/network-option-types.ts";
import { boolean, duration, listOf, text } from "../../base/program/option-types.ts";
import { defineOptions } from "../../base/program/options.ts";
import { outputOption } from "../../base/program/output.ts";

export const waitOption = defineOptions({
  wait: {
    type: duration(),
    default: "120s",
    env: false,
    help: "How long each part may take to be ready.",
  },
});

/** Options of every role. */
export const nodeOptions = defineOptions({
  join: {
    type: text("URL"),
    env: false,
    help: "A server of the cluster to join; 'tandem install server' prints this and the next two.",
  },
  token: { type: text(), help: "Proves that this machine may join." },
  caHash: {
    type: text("sha256:HASH"),
    env: false,
    help: "The hash of the cluster's root certificate's public key, by which the server is known.",
  },
  nodeName: {
    type: text("NAME"),
    env: false,
    help: "The name of the node; the host's when not given.",
  },
  nodeIp: {
    type: addressList(),
    default: "",
    env: false,
    help: "The machine's addresses, one per family; when not given, its own ones by which it is reached.",
  },
  registerWithTaints: {
    type: listOf(text("KEY=VALUE:EFFECT")),
    default: "",
    env: false,
    help: "Taints for the node when it is registered.",
  },
  ...waitOption,
  dryRun: {
    type: boolean(),
    default: false,
    env: false,
    help: "Check everything and print what would be done, in the form of --output.",
  },
  ...outputOption(["text", "json", "yaml"]),
});
