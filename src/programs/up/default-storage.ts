// The default storage class of a local cluster: claims become directories on the node of their first pod.

import type { Client } from "../../api/client/client.ts";
import { isAlreadyExists } from "../../api/client/errors.ts";
import { directoryDriver } from "../../api/kinds/storage.ts";

/** Makes the class if it is not there; one that somebody has changed stays as it is. */
export async function makeDefaultStorage(client: Client): Promise<void> {
  try {
    await client.resource("storage.k8s.io/v1", "StorageClass").create({
      metadata: {
        name: "directory",
        annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
      },
      provisioner: directoryDriver,
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
