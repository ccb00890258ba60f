// The controllers of service accounts and of bootstrap tokens.

import { rule } from "../../../api/kinds/rbac.ts";
import type { ControllerEntry } from "../context.ts";
import { bootstrapTokensController } from "./bootstrap-tokens-controller.ts";
import {
  type ServiceAccountsOptions,
  serviceAccountsController,
} from "./service-accounts-controller.ts";

export function accountControllers(options: ServiceAccountsOptions): readonly ControllerEntry[] {
  return [
    {
      name: "service-accounts",
      rights: [
        rule("create", "core", "serviceaccounts"),
        rule("create update", "core", "configmaps"),
      ],
      create: (context) => serviceAccountsController(context, options),
    },
    { name: "bootstrap-tokens", create: bootstrapTokensController },
  ];
}
