export * from "@capstan/kinds/storage.k8s.io/v1";
