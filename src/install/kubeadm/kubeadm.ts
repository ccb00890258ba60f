// The configuration files of kubeadm: reading them, and the manifests that follow.

export { kubeadmManifests } from "./manifests.ts";
export { serverConfigOf, upConfigOf } from "./options.ts";
export { readKubeadm } from "./read.ts";
