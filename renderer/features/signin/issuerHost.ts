/** The part of an issuer that is worth showing: who will ask for the password. */
export const issuerHost = (issuer: string | undefined): string => (issuer === undefined ? '' : (URL.parse(issuer)?.host ?? issuer));
