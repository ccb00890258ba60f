import { defined } from "../../../../base/json/defined.ts";
import type { Address } from "../../../../base/net/address.ts";
import type { Attachment } from "../attachment.ts";
import type { NetworkConfiguration } from "../configuration.ts";
import { CniError } from "../error.ts";
import type { NetworkSelection } from "./selection.ts";

/** A network with the request for it, in the order of attaching. */
export interface PlannedNetwork {
  readonly network: NetworkConfiguration;
  readonly attachment: PlannedAttachment;
  readonly defaultRoute: readonly Address[];
}

type PlannedAttachment = Omit<Attachment, "container" | "namespace" | "args">;

interface SelectedNetwork {
  readonly selection: NetworkSelection;
  readonly network: NetworkConfiguration;
}

interface DefaultNetwork {
  readonly network: NetworkConfiguration;
  /** The interface; "eth0" if not given. */
  readonly interface?: string;
  readonly capabilities?: Attachment["capabilities"];
}

/** Plans the default network first, then the others as net1, net2, … or with the requested names. */
export function planNetworks(
  first: DefaultNetwork,
  further: readonly SelectedNetwork[] = [],
): readonly PlannedNetwork[] {
  const plan = [
    {
      network: first.network,
      attachment: {
        interface: first.interface ?? "eth0",
        isDefault: true,
        ...defined({ capabilities: first.capabilities }),
      },
      defaultRoute: [],
    },
    ...further.map(planFurther),
  ];
  const names = plan.map(({ attachment }) => attachment.interface);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return plan;
  const message = `Cannot attach two networks as interface ${twice}: a name is for one`;
  throw new CniError("invalid-configuration", message);
}

function planFurther({ selection, network }: SelectedNetwork, index: number): PlannedNetwork {
  const { namespace, name, capabilities, cniArguments, serviceController } = selection;
  return {
    network,
    attachment: {
      interface: selection.interface ?? `net${index + 1}`,
      label: `${namespace}/${name}`,
      capabilities,
      ...defined({ cniArguments, serviceController }),
    },
    defaultRoute: selection.defaultRoute,
  };
}
