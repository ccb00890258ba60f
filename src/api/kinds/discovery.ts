// Rules of EndpointSlices that other parts need: which slices count for a Service.

export {
  decidingLabels,
  furtherFamilyLabel,
  furtherFamilyManager,
  isCounted,
  managedByLabel,
  mirrorManager,
  proxyNameLabel,
  selectorManager,
  serviceKeyOf,
  serviceKeysOf,
  serviceNameLabel,
} from "./discovery/slice-service.ts";
