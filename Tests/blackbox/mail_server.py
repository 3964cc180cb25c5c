"""A mail server on a loopback port."""


class MailServer:
    """Takes mail into the folder where a service would write it, and refuses some addresses."""

    def __init__(self, folder):
        self.folder, self.refused, self.taken = folder, set(), 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refused:
            return "550 5.1.1 nobody here is called " + address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.folder.mkdir(exist_ok=True)
        self.taken += 1
        # Under its name once it is whole: tests read what they see.
        part = self.folder / f"{self.taken:06}.part"
        part.write_bytes(envelope.content)
        part.rename(part.with_suffix(".eml"))
        return "250 OK"
