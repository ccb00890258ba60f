import { define, object, text } from "./definition.ts";

export const networkAttachmentDefinitions = define({
  group: "k8s.cni.cncf.io",
  version: "v1",
  kind: "NetworkAttachmentDefinition",
  plural: "network-attachment-definitions",
  singular: "network-attachment-definition",
  shortNames: ["net-attach-def"],
  scope: "Namespaced",
  description: "A further network that pods can be attached to.",
  spec: object({ config: { ...text, description: "A CNI configuration, as JSON text." } }),
});
