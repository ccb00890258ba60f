// Kubeconfig files: reading, editing, and credentials that are renewed on disk.

export { mergeKubeconfigFile } from "./kubeconfig/edit.ts";
export { KubeconfigError } from "./kubeconfig/fields.ts";
export { isInCluster } from "./kubeconfig/in-cluster.ts";
export { loadAccess } from "./kubeconfig/load.ts";
export { renewedCredentials } from "./kubeconfig/renewed-credentials.ts";
