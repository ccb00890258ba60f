// kubeadm's configuration files: reading them, and the manifests that result from them.

export { kubeadmManifests } from "./manifests.ts";
export { serverConfigOf, upConfigOf } from "./options.ts";
export { readKubeadm } from "./read.ts";
