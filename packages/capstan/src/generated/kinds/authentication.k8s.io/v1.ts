export * from "@capstan/kinds/authentication.k8s.io/v1";
