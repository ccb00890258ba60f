// Joining a cluster: proving a token, checking the root, and keeping the node certificate.

export { publicKeyHash } from "./authority.ts";
export { certify } from "./certify.ts";
export { enrol, type Invitation } from "./enrol.ts";
export { coversAddresses, type Identity, openIdentityStore } from "./identity.ts";
export { keepIdentity } from "./keep-identity.ts";
