/** The token that one node of the tests wants to be managed over HTTP. */
export const TOKEN = "0123456789abcdef0123456789abcdef";
