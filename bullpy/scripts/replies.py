"""Reading the replies of scripts that may refuse: a negative number becomes a `ScriptError`."""

from dataclasses import dataclass

from bullpy.errors import script_error
from bullpy.keys import QueueKeys
from bullpy.types import RedisReply


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one call is about, and the ways to read what came of it.

    Attributes:
        command: BullMQ's name of the operation, for the error's text.
        keys: The queue.
        job_id: The job.
        state: The state the operation starts from, for codes -3 and -6.
        parent_key: Full key of the parent, for code -5.
    """

    command: str
    keys: QueueKeys
    job_id: str
    state: str = ""
    parent_key: str = ""

    def number(self, reply: RedisReply) -> int:
        """The reply itself.

        Raises:
            ScriptError: It is negative.
        """
        if reply < 0:
            raise script_error(
                reply,
                script=self.command,
                queue=self.keys.name,
                job_id=self.job_id,
                state=self.state,
                parent_key=self.parent_key,
            )
        return reply

    def nothing(self, reply: RedisReply) -> None:
        """Nothing; raises as `number`."""
        self.number(reply)

    def truth(self, reply: RedisReply) -> bool:
        """Whether the reply is over 0; raises as `number`."""
        return self.number(reply) > 0
