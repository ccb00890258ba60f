// The role of the controllers of `tandem server`: their rules come from the list of controllers.
import type { PolicyRule } from "../../../api/types/rbac.ts";
import type { DefaultRole } from "./default-role.ts";

/** The user name of the controllers, in the certificate that the server issues to them. */
export const controllersUser = "system:tandem-controllers";

export function controllersRole(rules: readonly PolicyRule[]): DefaultRole {
  return { name: controllersUser, rules, users: [controllersUser] };
}
