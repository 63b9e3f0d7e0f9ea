export * from "@capstan/kinds/resource.k8s.io/v1";
