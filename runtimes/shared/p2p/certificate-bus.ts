/** How the certificate of a wss port is replaced while connections stay. */
import type { Libp2pEvents } from "@libp2p/interface";
import type { WebSocketFiles } from "./p2p-options.ts";

/** What a listener of libp2p listens to. */
interface Bus {
  dispatchEvent(event: CustomEvent<Libp2pEvents["certificate:renew"]["detail"]>): boolean;
}

/** One per network: parts of libp2p learn of certificates over a bus that only they are given. */
export class CertificateBus {
  #bus: Bus | undefined;

  /** The service by which it gets hold of the bus. */
  readonly service = ({ events }: { readonly events: Bus }): object => {
    this.#bus = events;
    return {};
  };

  /** The next connections are made with these. */
  renew({ cert, key }: WebSocketFiles): void {
    this.#bus?.dispatchEvent(new CustomEvent("certificate:renew", { detail: { cert, key } }));
  }
}
