// The environment of Kubernetes 1.36: the language, its extensions, and Kubernetes' own libraries.

import { authorizer, authorizerTypes } from "./authorizer.ts";
import type { Environment } from "./environment.ts";
import { conversions } from "./library/conversions.ts";
import { declare } from "./library/library.ts";
import { lists } from "./library/lists.ts";
import { formatTypes, namedFormats } from "./library/named-formats.ts";
import { net, netTypes } from "./library/net.ts";
import { optionals } from "./library/optionals.ts";
import { regex } from "./library/patterns.ts";
import { quantities, quantityTypes } from "./library/quantities.ts";
import { semver, semverTypes } from "./library/semver.ts";
import { standard } from "./library/standard.ts";
import { strings } from "./library/strings.ts";
import { times } from "./library/times.ts";
import { urls, urlTypes } from "./library/urls.ts";
import type { ObjectType } from "./types.ts";

const named = {
  ...authorizerTypes,
  ...formatTypes,
  ...netTypes,
  ...quantityTypes,
  ...semverTypes,
  ...urlTypes,
};

const functions = declare(
  [
    standard,
    conversions,
    strings,
    times,
    optionals,
    regex,
    lists,
    net,
    quantities,
    urls,
    semver,
    namedFormats,
    authorizer,
  ],
  named,
);

export const kubernetes: Environment = {
  variables: new Map(),
  functions,
  findType: (): ObjectType | undefined => undefined,
};
