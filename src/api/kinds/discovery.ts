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
