"""What is stored in Redis as text: JSON as JavaScript writes it, options, and the job hash.

Strict with what bullpy writes, patient with what others wrote.
"""

from bullpy.codec.job_hash import JobRecord, ParentLink, decode_job
from bullpy.codec.json_text import dump_json, load_json
from bullpy.codec.stored_options import decode_options, encode_options, public_options

__all__ = [
    "JobRecord",
    "ParentLink",
    "decode_job",
    "decode_options",
    "dump_json",
    "encode_options",
    "load_json",
    "public_options",
]
